import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LiveEvents } from '../../../engine/read-models/live-events.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { accessPolicies } from '../../access/policy/access-policy.record.js';
import { siteRules } from '../../access/site-rules/site-rules.record.js';
import { appUsers } from '../../app-users/app-user/app-user.record.js';
import { siteRoles } from '../../app-users/role/site-role.record.js';
import { tables } from '../../bases/table/table.record.js';
import { entitlements } from '../../payments/entitlement/entitlement.record.js';
import { projects } from '../../sites/project/project.record.js';
import type { Staleness } from './session-tools.js';

/** Concerns one user, a site or, if neither is given, the whole workspace. */
export interface RightsChange {
  readonly workspaceId: string;
  readonly projectId: string | undefined;
  readonly userId: string | undefined;
  readonly staleness: Staleness;
  readonly afterMs: number;
}

/**
 * Category of sites' functions, which access rules can call. Repeated here, because the realtime area must not import
 * the functions area.
 */
const gates = 'siteFunction';
const rulesAlone: ReadonlySet<string> = new Set([siteRules.category, accessPolicies.category, tables.category, gates]);
const underSites: ReadonlySet<string> = new Set([siteRules.category, accessPolicies.category, projects.category]);
const categories = [
  ...rulesAlone,
  appUsers.category,
  siteRoles.category,
  entitlements.category,
  projects.category,
] as const;
/**
 * Delay in milliseconds after a password change. The session that changed the password remains valid, but it is renewed
 * a moment after the change is recorded. If it were checked before it is renewed, it would be ended by mistake.
 */
const renewedMs = 500;

@Injectable()
export class RightsChanges implements BeforeApplicationShutdown {
  private hear: (change: RightsChange) => void = () => undefined;
  private readonly live: LiveEvents;

  constructor(events: EventStore, readYourWrites: ReadYourWrites) {
    this.live = new LiveEvents(events, {
      categories,
      handle: async (recorded) => {
        const last = recorded.at(-1);
        if (last === undefined) return;
        // The listener reads rights next, so these reads must wait until the read models include the events.
        readYourWrites.appended(last.position, recorded);
        for (const change of new Map(recorded.map(changeIn).map((one) => [JSON.stringify(one), one])).values()) {
          this.hear(change);
        }
      },
    });
  }

  on(hear: (change: RightsChange) => void): void {
    this.hear = hear;
  }

  /** @throws if the log cannot be reached */
  begin(): Promise<void> {
    return this.live.begin();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.live.stop();
  }
}

function changeIn({ stream, type, data }: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): RightsChange {
  const { category, workspaceId, id } = parseStream(stream);
  const { projectId, appUserId } = data as { readonly projectId?: unknown; readonly appUserId?: unknown };
  const userId = category === appUsers.category ? id : appUserId;
  return {
    workspaceId,
    projectId: underSites.has(category) ? id : typeof projectId === 'string' ? projectId : undefined,
    userId: typeof userId === 'string' ? userId : undefined,
    staleness: rulesAlone.has(category) ? 'rules' : 'person',
    afterMs: type === 'AppUserPasswordSet' ? renewedMs : 0,
  };
}
