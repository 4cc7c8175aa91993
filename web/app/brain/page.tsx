import type { Metadata } from "next";

import { BrainSlot } from "@/components/brain-slot";

export const metadata: Metadata = { title: "Brain" };

export default function Page() {
  return <BrainSlot />;
}
