import type { ReactNode } from "react";

export function PageHead({ title, children }: { title: string; children: ReactNode }) {
  return (
    <header className="mb-8">
      <h1 className="font-serif text-3xl font-normal tracking-[-0.01em] md:text-4xl">{title}</h1>
      <p className="mt-2 max-w-[40rem] font-serif text-lg text-muted-foreground">{children}</p>
    </header>
  );
}
