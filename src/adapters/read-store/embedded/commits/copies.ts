import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import type { Document } from '../../../../kernel/record/projection.js';
import { folded } from '../../../../kernel/text/folded.js';
import { inDocument } from '../fields.js';

export function copiesOf(document: Document, members: readonly string[]): string {
  const copies: [string, string][] = [];
  for (const member of members) {
    const values = (document as unknown as Readonly<Record<string, unknown>>)[member];
    if (typeof values !== 'object' || values === null) continue;
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') copies.push([foldedName(`${member}.${name}`), folded(value)]);
      else if (typeof value === 'object' && value !== null) {
        copies.push([canonicalName(`${member}.${name}`), canonicalJson(value)]);
      }
    }
  }
  return JSON.stringify(Object.fromEntries(copies));
}

const foldedName = (path: string) => `f:${path}`;
const canonicalName = (path: string) => `c:${path}`;

export const foldedCopy = (path: string) => copy(path, foldedName);
export const canonicalCopy = (path: string) => copy(path, canonicalName);

function copy(path: string, name: (path: string) => string): string {
  inDocument(path); // Refuses names that cannot be quoted.
  return `json_extract(copies,'$."${name(path)}"')`;
}
