"""Does the support check call right what is right? Training the verifier, and measuring it."""
