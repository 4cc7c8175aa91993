"use client";

import { useState } from "react";
import type { ReactNode } from "react";

import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/field";
import { useCollection } from "@/components/collection-provider";
import { api, sentence } from "@/lib/api/client";

/** Asks for a key where the server wants one. The key goes into a cookie that scripts cannot read, and nowhere else. */
export function SignIn({ children }: { children: ReactNode }) {
  const { error, again } = useCollection();
  const [key, setKey] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  if (!error || !/\bkey\b/i.test(error)) return children;
  const enter = async () => {
    try {
      await api.signIn(key);
      setRefused(null);
      again();
    } catch (problem) {
      setRefused(sentence(problem));
    }
  };
  return (
    <form
      className="mx-auto max-w-md px-4 py-24"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <h1 className="font-serif text-3xl">This library needs a key.</h1>
      <label htmlFor="key" className="label mt-6 block">
        API key
      </label>
      <div className="mt-1.5 flex gap-2">
        <Input id="key" type="password" autoComplete="current-password" value={key} onChange={(event) => setKey(event.target.value)} />
        <Button type="submit" variant="primary">
          Enter
        </Button>
      </div>
      {refused && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {refused}
        </p>
      )}
    </form>
  );
}
