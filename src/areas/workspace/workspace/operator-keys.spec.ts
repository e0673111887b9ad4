import { expect, it } from '@jest/globals';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Calls } from '../../../engine/operation/calls.js';
import type { Vault } from '../../../ports/vault.port.js';
import { OperatorKeys } from './operator-keys.js';
import type { Owners } from './owner.js';

it.each(['person', 'connection', 'automation', 'flow'] as const)(
  'a key of the kind %s cannot be created for an agent',
  async (kind) => {
    const runner = { find: async () => ({ id: 'ws_1' }) } as unknown as CommandRunner;
    const keys = new OperatorKeys(runner, { once: () => ({}) } as unknown as Calls, {} as Vault, {} as Owners);
    await expect(keys.create({ workspaceId: 'ws_1', kind, agentId: 'agent_1' })).rejects.toThrow(
      `agentId (must not be sent for the kind ${kind})`,
    );
  },
);
