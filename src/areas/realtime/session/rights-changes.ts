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

/** Whose rights may have changed: those of one user, of a site, or where that is not said of a workspace. */
export interface RightsChange {
  readonly workspaceId: string;
  readonly projectId: string | undefined;
  readonly userId: string | undefined;
  readonly staleness: Staleness;
  /** To be judged so much later. */
  readonly afterMs: number;
}

/** Gates are functions of sites. Their area is above this one. */
const gates = 'siteFunction';
const rulesAlone: ReadonlySet<string> = new Set([siteRules.category, accessPolicies.category, tables.category, gates]);
/** Kept under the id of their site. */
const underSites: ReadonlySet<string> = new Set([siteRules.category, accessPolicies.category, projects.category]);
const categories = [
  ...rulesAlone,
  appUsers.category,
  siteRoles.category,
  entitlements.category,
  projects.category,
] as const;
/** Whoever changes their own password keeps the session that they did it in, which is renewed just after it is recorded. */
const renewedMs = 500;

/** Follows in the log what the rights of visitors depend on. */
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
        // What is looked up because of them includes them.
        readYourWrites.appended(last.position, recorded);
        for (const change of new Map(recorded.map(changeIn).map((one) => [JSON.stringify(one), one])).values()) {
          this.hear(change);
        }
      },
    });
  }

  /** Once, when the service is put together. */
  on(hear: (change: RightsChange) => void): void {
    this.hear = hear;
  }

  /** What is recorded from now on is heard of. @throws when the log cannot be reached */
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
