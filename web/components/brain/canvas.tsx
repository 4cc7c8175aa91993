"use client";

import { useEffect, useRef, useState } from "react";

import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { type Brain, spread } from "@/lib/brain";

import { BrainScene, type Label, type Palette } from "./scene";

interface Props {
  brain: Brain;
  lit: Set<number>;
  chosen: number | null;
  onChoose: (region: number | null) => void;
}

const VIEWS = ["left", "right", "front", "top"] as const;

/** The brain to turn and to click. What it says can be read beside it too: the lists do everything that it does. */
export function BrainCanvas({ brain, lit, chosen, onChoose }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const scene = useRef<BrainScene | null>(null);
  const pressed = useRef<[number, number]>([0, 0]);
  const [hovered, setHovered] = useState<number | null>(null);
  const [able] = useState(canDraw);

  useEffect(() => {
    if (!canvas.current || !frame.current) return;
    const made = new BrainScene(canvas.current, brain, (placed) => place(labels.current, placed, brain));
    scene.current = made;
    made.paint(paletteOf());
    const sized = new ResizeObserver(([entry]) => {
      if (entry) made.resize(entry.contentRect.width, entry.contentRect.height);
    });
    sized.observe(frame.current);
    const themed = new MutationObserver(() => made.paint(paletteOf()));
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });
    return () => {
      sized.disconnect();
      themed.disconnect();
      made.dispose();
      scene.current = null;
    };
  }, [brain]);

  useEffect(() => scene.current?.highlight(lit), [lit]);
  useEffect(() => scene.current?.point(hovered ?? chosen), [hovered, chosen]);

  if (!able) {
    return <Notice tone="warn">This browser cannot draw in three dimensions. The lists show the same information.</Notice>;
  }
  const under = (event: React.PointerEvent<HTMLCanvasElement>): number | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    return scene.current?.regionAt(x, y) ?? null;
  };
  return (
    <figure>
      <div ref={frame} className="relative h-[min(68vh,34rem,90vw)] w-full overflow-hidden rounded-lg border bg-card">
        <canvas
          ref={canvas}
          data-testid="brain"
          role="img"
          aria-label="The brain in three dimensions. The lists beside hold the conditions and the regions that they light."
          className="size-full cursor-grab touch-none active:cursor-grabbing"
          onPointerDown={(event) => (pressed.current = [event.clientX, event.clientY])}
          onPointerMove={(event) => event.buttons === 0 && setHovered(under(event))}
          onPointerLeave={() => setHovered(null)}
          onPointerUp={(event) => {
            const [x, y] = pressed.current;
            // A drag turns the brain; only a click chooses.
            if (Math.hypot(event.clientX - x, event.clientY - y) < 4) onChoose(under(event));
          }}
        />
        <div ref={labels} aria-hidden className="pointer-events-none absolute inset-0" />
        <p aria-live="polite" className="pointer-events-none absolute bottom-3 left-4 font-serif text-lg">
          {nameOf(brain, hovered ?? chosen)}
        </p>
      </div>
      <figcaption className="mt-3 flex flex-wrap items-center gap-2">
        <span className="label mr-1">Look from</span>
        {VIEWS.map((view) => (
          <Button key={view} size="small" onClick={() => scene.current?.look(view)}>
            the {view}
          </Button>
        ))}
      </figcaption>
    </figure>
  );
}

function canDraw(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

function nameOf(brain: Brain, region: number | null): string {
  const found = region === null ? undefined : brain.regions.get(region);
  if (!found) return "";
  return found.side === "both" ? found.name : `${found.name}, ${found.side}`;
}

function paletteOf(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const dark = document.documentElement.classList.contains("dark");
  return { tissue: dark ? "#8f8b83" : "#d9d3c6", lit: of("--primary"), pointed: of("--warn") };
}

/** Names at the regions that are lit, each once for what is seen of it. Elements are used again: a turn makes none. */
function place(holder: HTMLDivElement | null, placed: Label[], brain: Brain): void {
  if (!holder) return;
  const seen = new Map<string, Label>();
  for (const label of placed.filter((one) => !one.behind)) {
    const name = brain.regions.get(label.region)?.name ?? "";
    if (!seen.has(name)) seen.set(name, label);
  }
  while (holder.children.length < seen.size) {
    const made = document.createElement("span");
    made.className =
      "absolute top-0 left-0 rounded-sm bg-background/80 px-1.5 py-0.5 text-2xs whitespace-nowrap text-foreground";
    holder.append(made);
  }
  const elements = [...holder.children] as HTMLElement[];
  const names = [...seen].sort(([, a], [, b]) => a.y - b.y);
  names.forEach(([name], at) => {
    const element = elements[at];
    if (!element) return;
    element.hidden = false;
    if (element.textContent !== name) element.textContent = name;
  });
  const sizes = names.map(([, { x, y }], at) => {
    const element = elements[at];
    return { x, y, width: element?.offsetWidth ?? 0, height: element?.offsetHeight ?? 0 };
  });
  const spots = spread(sizes, holder.clientWidth, holder.clientHeight);
  elements.forEach((element, at) => {
    const spot = spots[at];
    element.hidden = !spot;
    if (spot) element.style.transform = `translate(${spot.x.toFixed(1)}px, ${spot.y.toFixed(1)}px)`;
  });
}
