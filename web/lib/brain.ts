/** The brain as the server sends it, unpacked, and what of it a choice lights up. Pure: nothing here draws. */

import type { components } from "@/lib/api/schema";

export type BrainShapes = components["schemas"]["BrainShapes"];
export type BrainRegion = components["schemas"]["BrainRegion"];
export type PlacedCondition = components["schemas"]["PlacedCondition"];

export interface Mesh {
  vertices: Float32Array;
  faces: Uint16Array;
}

/** One side of the cortex; `region[v]` is the region of vertex v, -1 for none. */
export interface Hemisphere extends Mesh {
  side: "left" | "right";
  region: Int16Array;
}

export interface Structure extends Mesh {
  region: number;
}

export interface Brain {
  regions: Map<number, BrainRegion>;
  cortex: Hemisphere[];
  structures: Structure[];
  /** The middle of each region in mm, where its name is written. */
  middles: Map<number, [number, number, number]>;
}

export function unpacked(shapes: BrainShapes): Brain {
  const cortex = (["left", "right"] as const).flatMap((side) => {
    const mesh = shapes.cortex[side];
    return mesh ? [{ side, ...meshOf(mesh), region: new Int16Array(bytes(mesh.region)) }] : [];
  });
  const structures = shapes.structures.map((one) => ({ region: one.region, ...meshOf(one) }));
  return {
    regions: new Map(shapes.regions.map((region) => [region.id, region])),
    cortex,
    structures,
    middles: middlesOf(cortex, structures),
  };
}

/** The regions of the conditions that are chosen. */
export function litRegions(conditions: readonly PlacedCondition[], chosen: ReadonlySet<string>): Set<number> {
  return new Set(conditions.filter((one) => chosen.has(one.name)).flatMap((one) => one.regions));
}

/** The conditions whose papers name a region, most papers first. */
export function conditionsIn(conditions: readonly PlacedCondition[], region: number): PlacedCondition[] {
  return conditions.filter((one) => one.regions.includes(region)).sort((a, b) => b.papers - a.papers);
}

/** Names once each, left and right together, in the order of the alphabet: [name, ids]. */
export function namesOf(regions: Map<number, BrainRegion>, ids: Iterable<number>): [string, number[]][] {
  const byName = new Map<string, number[]>();
  for (const id of ids) {
    const name = regions.get(id)?.name;
    if (name) byName.set(name, [...(byName.get(name) ?? []), id]);
  }
  return [...byName].sort(([a], [b]) => a.localeCompare(b));
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const GAP = 3;
const FARTHEST = 3; // how many heights a name may be moved from its region

/**
 * Where names stand, so that none covers another and none hangs over the edge: upper left corners, for boxes given by
 * their middles. A name for which there is no place near its region has null: the list beside holds it.
 */
export function spread(boxes: readonly Box[], width: number, height: number): ({ x: number; y: number } | null)[] {
  const placed: Box[] = [];
  const within = (at: number, most: number) => Math.min(Math.max(at, GAP), Math.max(most, GAP));
  return boxes.map((box) => {
    const x = within(box.x - box.width / 2, width - box.width - GAP);
    for (const step of Array.from({ length: 2 * FARTHEST + 1 }, (_, at) => (at % 2 ? 1 : -1) * Math.ceil(at / 2))) {
      const y = within(box.y - box.height / 2 + step * (box.height + GAP), height - box.height - GAP);
      if (placed.some((other) => overlap(other, { ...box, x, y }))) continue;
      placed.push({ ...box, x, y });
      return { x, y };
    }
    return null;
  });
}

function overlap(a: Box, b: Box): boolean {
  const across = a.x < b.x + b.width + GAP && b.x < a.x + a.width + GAP;
  return across && a.y < b.y + b.height + GAP - 1 && b.y < a.y + a.height + GAP - 1;
}

function meshOf(mesh: { vertices: string; faces: string }): Mesh {
  return { vertices: new Float32Array(bytes(mesh.vertices)), faces: new Uint16Array(bytes(mesh.faces)) };
}

function bytes(packed: string): ArrayBuffer {
  return Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)).buffer;
}

function middlesOf(cortex: Hemisphere[], structures: Structure[]): Map<number, [number, number, number]> {
  const sums = new Map<number, [number, number, number, number]>();
  const add = (region: number, vertices: Float32Array, vertex: number) => {
    const sum = sums.get(region) ?? [0, 0, 0, 0];
    for (let axis = 0; axis < 3; axis += 1) sum[axis as 0 | 1 | 2] += vertices[3 * vertex + axis] ?? 0;
    sum[3] += 1;
    sums.set(region, sum);
  };
  for (const side of cortex) {
    side.region.forEach((region, vertex) => region >= 0 && add(region, side.vertices, vertex));
  }
  for (const one of structures) {
    for (let vertex = 0; vertex < one.vertices.length / 3; vertex += 1) add(one.region, one.vertices, vertex);
  }
  return new Map([...sums].map(([region, [x, y, z, n]]) => [region, [x / n, y / n, z / n]]));
}
