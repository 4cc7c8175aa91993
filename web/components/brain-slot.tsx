"use client";

import dynamic from "next/dynamic";

import { TextSkeleton } from "@/components/ui/skeleton";

// Loaded when the tab is opened: nobody who only asks pays for what draws the brain.
const Brain = dynamic(() => import("@/components/brain"), {
  ssr: false,
  loading: () => <TextSkeleton lines={8} className="mx-auto max-w-[76rem] px-8 pt-16" />,
});

export function BrainSlot() {
  return <Brain />;
}
