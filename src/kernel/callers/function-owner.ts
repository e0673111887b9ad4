export type FunctionOwner = { readonly kind: 'workspace' } | { readonly kind: 'project'; readonly projectId: string };

export type FunctionOwnerKind = FunctionOwner['kind'];

/** `projectId` is omitted if the owner is the workspace, as in all events recorded before functions had owners. */
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
