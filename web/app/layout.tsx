import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";

import "./globals.css";
import { CollectionProvider } from "@/components/collection-provider";
import { RunProvider } from "@/components/run-provider";
import { Shell } from "@/components/shell";
import { SignIn } from "@/components/sign-in";

export const metadata: Metadata = {
  title: { default: "litloop", template: "%s · litloop" },
  description: "Answers questions from a collection of papers, with a citation for every sentence.",
  icons: { icon: "/icon.svg" },
  referrer: "no-referrer",
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfaf6" },
    { media: "(prefers-color-scheme: dark)", color: "#141518" },
  ],
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    // The class of a dark page is set by theme.js before React takes over.
    <html lang="en" suppressHydrationWarning>
      <head>
        {/* eslint-disable-next-line @next/next/no-sync-scripts -- it must run before the first paint */}
        <script src="/theme.js" />
      </head>
      <body>
        <CollectionProvider>
          <RunProvider>
            <Shell>
              <SignIn>{children}</SignIn>
            </Shell>
          </RunProvider>
        </CollectionProvider>
      </body>
    </html>
  );
}
