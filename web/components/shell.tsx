"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";

import { useCollection } from "@/components/collection-provider";
import { useRun } from "@/components/run-provider";
import { HealthNote } from "@/components/health-note";
import { ThemeToggle } from "@/components/theme-toggle";
import { cn } from "@/lib/classes";
import { isLive } from "@/lib/run/view";

const PARTS = [
  { href: "/", name: "Ask" },
  { href: "/compare/", name: "Search" },
  { href: "/library/", name: "Library" },
  { href: "/history/", name: "Runs" },
];

export function Shell({ children }: { children: ReactNode }) {
  const here = usePathname();
  const { view, reset } = useRun();
  const page = useCollection().detail?.page;
  // A domain may add views of its own, as neurology adds the brain.
  const parts = [...PARTS, ...(page?.views ?? []).map((view) => ({ href: `/${view.name}/`, name: view.title }))];
  return (
    <>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-primary px-4 py-2 text-primary-foreground focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-40 border-b bg-background/95 backdrop-blur-sm">
        <div className="mx-auto flex h-14 max-w-[100rem] items-center gap-x-6 px-4 sm:gap-x-10 sm:px-8">
          <Link
            href="/"
            onClick={reset}
            className="font-serif text-xl font-semibold tracking-[-0.02em] max-sm:sr-only"
            aria-label="litloop: a new question"
          >
            litloop
          </Link>
          <nav aria-label="Parts of litloop" className="flex h-full min-w-0 flex-1 gap-x-4 overflow-x-auto sm:gap-x-6">
            {parts.map(({ href, name }) => (
              <Link
                key={href}
                href={href}
                aria-current={same(here, href) ? "page" : undefined}
                className={cn(
                  "relative flex h-full items-center gap-1.5 border-y-2 border-t-transparent! text-sm font-medium transition-colors",
                  same(here, href) ? "border-primary text-foreground" : "border-transparent text-muted-foreground hover:text-foreground",
                )}
              >
                {name}
                {href === "/" && isLive(view) && !same(here, "/") && (
                  <span className="breathe size-1.5 rounded-full bg-primary">
                    <span className="sr-only">, a question is being answered</span>
                  </span>
                )}
              </Link>
            ))}
          </nav>
          <ThemeToggle />
        </div>
      </header>
      <main id="main" tabIndex={-1} className="min-h-[calc(100vh-8rem)] outline-none">
        {children}
      </main>
      <footer className="border-t">
        <div className="mx-auto flex max-w-[100rem] flex-wrap items-center justify-between gap-x-8 gap-y-2 px-4 py-4 text-xs text-muted-foreground sm:px-8">
          <HealthNote />
          <p>{page?.disclaimer}</p>
        </div>
      </footer>
    </>
  );
}

function same(path: string, href: string): boolean {
  return path.replace(/\/$/, "") === href.replace(/\/$/, "");
}
