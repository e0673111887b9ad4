import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel/callers/caller.js';
import { equalInConstantTime } from '../../kernel/text/same-text.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';

/**
 * Session ids distinguish the calls of clients that use the same key. An id contains a keyed hash, so every process can
 * check it and nothing is stored.
 */
@Injectable()
export class McpSessions {
  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
  ) {}

  begin(caller: Caller): string {
    const name = this.ids.token();
    return `${name}.${this.proof(caller, name)}`;
  }

  isOf(caller: Caller, session: string): boolean {
    const [name = '', proof = '', more] = session.split('.');
    return more === undefined && equalInConstantTime(this.proof(caller, name), proof);
  }

  private proof({ workspaceId, kind, id }: Caller, name: string): string {
    return this.vault.derive(`mcp-session/${workspaceId}/${kind}/${id}/${name}`);
  }
}
