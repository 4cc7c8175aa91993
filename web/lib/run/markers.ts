/**
 * Citation markers in running text: `[1]`, `[1, 3]`, `[1-3]`, `[1][2]`, `[[4]]`. The page needs them only for text
 * that came without its sentences (a draft of a run that ended early); sentences carry their citations apart.
 */

export type Piece = { kind: "text"; text: string } | { kind: "marker"; marker: number };

// One bracket, numbers of at most three digits: [2019] is a year, not a citation.
const MARKER = /\[{1,2}\s*(\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*)\s*\]{1,2}/gu;
const WIDEST_RANGE = 30;

export function splitMarkers(text: string): Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(MARKER)) {
    if (match.index > last) pieces.push({ kind: "text", text: text.slice(last, match.index) });
    for (const marker of numbersOf(match[1] ?? "")) pieces.push({ kind: "marker", marker });
    last = match.index + match[0].length;
  }
  if (last < text.length) pieces.push({ kind: "text", text: text.slice(last) });
  return pieces;
}

function numbersOf(list: string): number[] {
  const numbers: number[] = [];
  for (const part of list.split(/[,;]/u)) {
    const [first, last] = part.split(/[-–]/u).map((digits) => Number.parseInt(digits, 10));
    if (first === undefined || Number.isNaN(first)) continue;
    if (last === undefined || last < first || last - first > WIDEST_RANGE) numbers.push(first);
    else for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return [...new Set(numbers)];
}
