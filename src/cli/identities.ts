import { WorkspaceCreator } from '../areas/workspace/workspace/create-workspace.api.js';
import { callerKinds } from '../kernel/callers/caller.js';
import { besideService } from './beside-service.js';
import { given, optional } from './flags.js';
import type { Invocation } from './invocation.js';

export async function createWorkspaceCommand({ flags, environment, console }: Invocation): Promise<number> {
  const input = {
    name: given(flags, 'name'),
    ownerName: given(flags, 'owner-name'),
    ownerEmail: given(flags, 'owner-email'),
  };
  const { workspaceId, ownerKey } = await besideService(environment, WorkspaceCreator, (founder) =>
    founder.found(input),
  );
  console.out(JSON.stringify({ workspaceId, ownerKey }));
  return 0;
}

export async function createKey({ flags, environment, console }: Invocation): Promise<number> {
  const kind = callerKinds.find((known) => known === flags['kind']);
  if (kind === undefined) throw new Error(`--kind must be one of: ${callerKinds.join(', ')}.`);
  const key = await besideService(environment, WorkspaceCreator, (founder) =>
    founder.createKey({
      workspaceId: given(flags, 'workspace'),
      kind,
      name: optional(flags, 'name') ?? 'Made on the command line',
      memberId: optional(flags, 'member'),
      agentId: optional(flags, 'agent'),
      readOnly: flags['read-only'] === true,
      neverDeletes: flags['never-deletes'] === true,
    }),
  );
  console.out(JSON.stringify(key));
  return 0;
}
