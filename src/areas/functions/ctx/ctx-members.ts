import type { Provider } from '@nestjs/common';
import type { CtxMember } from './ctx-member.js';
import { CtxTable } from './ctx-table.api.js';
import { appUserMembers } from './members/app-users.js';
import { connectionMembers } from './members/connections.js';
import { emailMembers } from './members/email.js';
import { envMembers } from './members/env.js';
import { eventMembers } from './members/events.js';
import { fileMembers } from './members/files.js';
import { functionMembers } from './members/functions.js';
import { httpMembers } from './members/http.js';
import { realtimeMembers } from './members/realtime.js';
import { secretMembers } from './members/secrets.js';
import { startedFileMembers } from './members/started-files.js';
import { tableMembers } from './members/tables.js';

/** The documentation lists the members in this order. */
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

/** Constructor injection would be circular, because members start runs and runs need the table of members. */
export const fillsCtxTable: Provider = {
  provide: Symbol('Fills the table of ctx members'),
  inject: [CtxTable, ...tokens],
  useFactory: (table: CtxTable, ...provided: readonly unknown[]) =>
    table.register(ctxMembers, new Map(tokens.map((token, at) => [token, provided[at]]))),
};
