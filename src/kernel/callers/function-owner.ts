/** Whose a function is. */
export type FunctionOwner = { readonly kind: 'workspace' } | { readonly kind: 'project'; readonly projectId: string };

export type FunctionOwnerKind = FunctionOwner['kind'];

/** How records and events name the owner: left out, the workspace, as in every event of a log older than owners. */
export interface Owned {
  readonly projectId?: string;
}

export const workspaceOwner: FunctionOwner = { kind: 'workspace' };

export function ownerOf({ projectId }: Owned): FunctionOwner {
  return projectId === undefined ? workspaceOwner : { kind: 'project', projectId };
}

export function ownedBy(owner: FunctionOwner): Owned {
  return owner.kind === 'workspace' ? {} : { projectId: owner.projectId };
}
