import type { Provider } from '@nestjs/common';
import { appUserMembers } from './app-users.js';
import { connectionMembers } from './connections.js';
import type { CtxMember } from './ctx-member.js';
import { CtxTable } from './ctx-table.api.js';
import { emailMembers } from './email.js';
import { envMembers } from './env.js';
import { eventMembers } from './events.js';
import { fileMembers } from './files.js';
import { functionMembers } from './functions.js';
import { httpMembers } from './http.js';
import { realtimeMembers } from './realtime.js';
import { secretMembers } from './secrets.js';
import { startedFileMembers } from './started-files.js';
import { tableMembers } from './tables.js';

/** All ctx members that reach outside the sandbox, in the order of the documentation. */
export const ctxMembers: readonly CtxMember[] = [
  ...functionMembers,
  ...eventMembers,
  ...realtimeMembers,
  ...connectionMembers,
  ...envMembers,
  ...emailMembers,
  ...httpMembers,
  ...startedFileMembers,
  ...fileMembers,
  ...secretMembers,
  ...tableMembers,
  ...appUserMembers,
];

const tokens = [...new Set(ctxMembers.flatMap(({ needs }) => Object.values(needs)))];

/**
 * Registers the members at start. Constructor injection would be circular, because members start runs and runs need the
 * table of members.
 */
export const fillsCtxTable: Provider = {
  provide: Symbol('Fills the table of ctx members'),
  inject: [CtxTable, ...tokens],
  useFactory: (table: CtxTable, ...provided: readonly unknown[]) =>
    table.register(ctxMembers, new Map(tokens.map((token, at) => [token, provided[at]]))),
};
