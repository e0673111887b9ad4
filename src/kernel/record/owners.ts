import type { Document } from './projection.js';

/** `target` means a record of any kind that a trigger can start. */
export type OwnerKind = 'project' | 'appUser' | 'siteRole' | 'table' | 'target';

/**
 * For each kind of owner, the field with the owner's id. The record is deleted when any of its owners is deleted. Null
 * means that the record refers to such an owner but remains when that owner is deleted.
 */
export type OwnerFields<Doc extends Document> = { readonly [Kind in OwnerKind]?: (keyof Doc & string) | null };

export type Belonging<Doc extends Document> = 'projectId' extends keyof Doc
  ? { readonly of: OwnerFields<Doc> & { readonly project: 'projectId' | null } }
  : unknown;

export interface OwnedKind {
  readonly category: string;
  readonly of?: Readonly<Partial<Record<OwnerKind, string | null>>> | undefined;
  readonly collection?: { readonly indexes: readonly { readonly fields: readonly string[] }[] };
}

/**
 * Checks that each kind of record with an index on `projectId` declares whether it is deleted with its project, and
 * that the service can delete it with each of its owners. The compiler checks the declarations too, except those whose
 * types were widened.
 * @param ends returns whether the service can delete records of the category together with such an owner
 * @throws Error with one sentence for each gap
 */
export function checkOwners(kinds: readonly OwnedKind[], ends: (category: string, owner: OwnerKind) => boolean): void {
  const missing = kinds.flatMap((kind) => {
    if (namesProject(kind) && kind.of?.project === undefined) return [noOwner(kind.category)];
    return ownersOf(kind)
      .filter(([owner]) => !ends(kind.category, owner))
      .map(([owner]) => noEnd(kind.category, owner));
  });
  if (missing.length > 0) throw new Error(missing.join('\n'));
}

/** Leaves out owners whose field is null, because the record remains when they are deleted. */
export function ownersOf({ of = {} }: OwnedKind): readonly (readonly [owner: OwnerKind, field: string])[] {
  return (Object.entries(of) as readonly [OwnerKind, string | null][]).flatMap(([owner, field]) =>
    field === null ? [] : [[owner, field] as const],
  );
}

const namesProject = ({ collection }: OwnedKind): boolean =>
  collection?.indexes.some(({ fields }) => fields.includes('projectId')) === true;

const noOwner = (category: string) =>
  `The record ${category} has a project, but does not declare whether it is deleted with it: add of: { project: 'projectId' } to its declaration, or of: { project: null } if it stays.`;

const noEnd = (category: string, owner: OwnerKind) =>
  `The record ${category} is deleted with its ${owner}, but does not declare how: add endsWithOwners(…) to its slice.`;
