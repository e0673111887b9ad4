import { Injectable } from '@nestjs/common';
import type { AppUserEvent } from '../areas/app-users/app-user/app-user.record.js';
import type { EntitlementEvent } from '../areas/payments/entitlement/entitlement.record.js';
import { Entitlements } from '../areas/payments/entitlement/entitlements.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

const deleted: AppUserEvent['type'] = 'AppUserDeleted';
const granted: EntitlementEvent['type'] = 'EntitlementGranted';

/** What a user of a site was entitled to ends with the user, and what is granted while the user is being deleted. */
@Injectable()
export class EntitlementsEndWithTheirUser implements Saga {
  readonly name = 'entitlements-end-with-their-user';
  readonly reads = [deleted, granted];

  constructor(private readonly entitlements: Entitlements) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    if (event.type === granted) return this.entitlements.deleteLate(event, call);
    const { workspaceId, id } = parseStream(event.stream);
    await this.entitlements.deleteAllOf(workspaceId, id, call);
  }
}
