"use client";

import { Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";

import { Button } from "@/components/ui/button";

const KEPT_AS = "litloop-theme";

/** Light or dark. Until someone chooses, the page is as the system is (`public/theme.js`). */
export function ThemeToggle() {
  const dark = useSyncExternalStore(subscribe, isDark, () => false);
  const turn = () => {
    document.documentElement.classList.toggle("dark", !dark);
    try {
      window.localStorage.setItem(KEPT_AS, dark ? "light" : "dark");
    } catch {
      // Storage may be refused; the choice then lasts as long as the page.
    }
  };
  return (
    <Button variant="ghost" size="icon" className="-mr-2" aria-pressed={dark} aria-label="Dark page" onClick={turn}>
      {dark ? <Sun aria-hidden /> : <Moon aria-hidden />}
    </Button>
  );
}

function isDark(): boolean {
  return document.documentElement.classList.contains("dark");
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}
