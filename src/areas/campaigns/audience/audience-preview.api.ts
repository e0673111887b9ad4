import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { inOrder } from '../../../kernel/in-order.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { PeopleNotJudged } from '../../../ports/offloaded/sealed-people.port.js';
import type { AppUser } from '../../app-users/app-user/app-user.record.js';
import type { Project } from '../../sites/project/project.record.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { refuse } from '../campaigns.refusals.js';
import { suppressions } from '../suppression/suppression.record.js';
import type { AudiencePreviewShape } from './audience-shapes.api.js';
import { Audiences } from './audiences.api.js';
import { PeopleJudge, pagesAtOnce } from './people-judge.js';

/** Time limit of a preview. After this time, the answer contains the users that were found so far. */
const deadlineMs = 5_000;
/** Time limit for counting in the store. Counting can take long if the store is busy. */
const countMs = 1_000;
const sampled = 10;

type Preview = InstanceType<typeof AudiencePreviewShape>;

@Injectable()
export class AudiencePreview {
  constructor(
    private readonly audiences: Audiences,
    private readonly judge: PeopleJudge,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** @throws Refusal audience-not-judged */
  async of(campaign: Campaign, project: Project): Promise<Preview> {
    try {
      return await this.preview(campaign, project);
    } catch (error) {
      if (error instanceof PeopleNotJudged) refuse('audience-not-judged', undefined, { retryAfterSeconds: 2 });
      throw error;
    }
  }

  private async preview({ audienceRules }: Campaign, project: Project): Promise<Preview> {
    const { workspaceId, id: projectId } = project;
    const deadline = this.after(deadlineMs);
    const madeBy = new Date(this.clock.now()).toISOString();
    const skips = (await this.reads.count(workspaceId, suppressions.collection.name, { projectId })) > 0;
    const all = audienceRules === null && !skips ? await this.counted(project) : undefined;
    let [count, suppressed] = [0, 0];
    const sample: AppUser[] = [];
    const preview = (partial: boolean) => ({ count: all ?? count, suppressed, sample: sample.map(shown), partial });
    const pages = inOrder(
      this.audiences.pagesOf({ project, audienceRules, madeBy }),
      pagesAtOnce,
      async ({ users }) => ({
        users,
        left: skips ? await this.judge.unsuppressed(project, users) : users,
      }),
    );
    try {
      for (;;) {
        const page = await Promise.race([pages.next(), deadline.passed]);
        if (page === undefined) return preview(all === undefined);
        if (page.done === true) return preview(false);
        const { users, left } = page.value;
        suppressed += users.length - left.length;
        count += left.length;
        sample.push(...left.slice(0, sampled - sample.length));
        if (all !== undefined && sample.length >= Math.min(sampled, all)) return preview(false);
      }
    } finally {
      deadline.cancel();
      // Not awaited, because a page in progress can take longer than the deadline.
      pages.return(undefined).catch(() => {});
    }
  }

  /** Resolves to undefined if the store is too busy; the preview then counts the users that it checks. */
  private async counted(project: Project): Promise<number | undefined> {
    const deadline = this.after(countMs);
    try {
      return await Promise.race([this.audiences.count(project), deadline.passed]);
    } catch (error) {
      if (error instanceof Refusal && busy.has(error.code)) return undefined;
      throw error;
    } finally {
      deadline.cancel();
    }
  }

  private after(ms: number) {
    const { promise: passed, resolve } = Promise.withResolvers<undefined>();
    return { passed, cancel: this.clock.after(ms, () => resolve(undefined)) };
  }
}

const busy: ReadonlySet<string> = new Set(['row-queries-taken', 'row-query-too-long']);

/** Email and name are still sealed. The pipeline decrypts them when it sends the answer. */
const shown = ({ id, email, name }: AppUser) => ({ id, email, name });
