import { Founding } from '../areas/workspace/workspace/found-workspace.js';
import { callerKinds } from '../kernel/caller.js';
import { assemble } from '../start.js';
import type { Invocation } from './commands.js';

/** Works beside a running service: it sees within a second what was recorded here. */
async function founding<T>(
  environment: Invocation['environment'],
  work: (founding: Founding) => Promise<T>,
): Promise<T> {
  const app = await assemble(environment, false);
  try {
    await app.init();
    return await work(app.get(Founding));
  } finally {
    await app.close();
  }
}

export async function createWorkspace({ flags, environment, console }: Invocation): Promise<number> {
  const input = {
    name: given(flags, 'name'),
    ownerName: given(flags, 'owner-name'),
    ownerEmail: given(flags, 'owner-email'),
  };
  const { workspaceId, ownerKey } = await founding(environment, (founder) => founder.found(input));
  console.out(JSON.stringify({ workspaceId, ownerKey }));
  return 0;
}

export async function createKey({ flags, environment, console }: Invocation): Promise<number> {
  const kind = callerKinds.find((known) => known === flags['kind']);
  if (kind === undefined) throw new Error(`--kind has to be one of: ${callerKinds.join(', ')}.`);
  const key = await founding(environment, (founder) =>
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

function given(flags: Invocation['flags'], name: string): string {
  const value = optional(flags, name);
  if (value === undefined) throw new Error(`--${name} is needed.`);
  return value;
}

function optional(flags: Invocation['flags'], name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
