import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppUser } from '../../app-users/app-user/app-user.record.js';
import type { Project } from '../../sites/project/project.record.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { suppressions } from '../suppression/suppression.record.js';
import { Suppressions } from '../suppression/suppressions.api.js';
import type { AudiencePreviewShape } from './audience-shapes.api.js';
import { Audiences } from './audiences.api.js';

/** How long a preview looks; what it has found by then is its answer. */
const deadlineMs = 5_000;
const sampled = 10;

type Preview = InstanceType<typeof AudiencePreviewShape>;

/** Whom a campaign would go to at this moment. */
@Injectable()
export class AudiencePreview {
  constructor(
    private readonly audiences: Audiences,
    private readonly suppressions: Suppressions,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly clock: Clock,
  ) {}

  async of({ audienceRules }: Campaign, project: Project): Promise<Preview> {
    const until = this.clock.now() + deadlineMs;
    const madeBy = new Date(this.clock.now()).toISOString();
    const skips =
      (await this.reads.count(project.workspaceId, suppressions.collection.name, { projectId: project.id })) > 0;
    let [count, suppressed] = [0, 0];
    const sample: AppUser[] = [];
    for await (const { users } of this.audiences.of({ project, audienceRules, madeBy })) {
      const reached = skips ? await this.reached(project, users) : users;
      suppressed += users.length - reached.length;
      count += reached.length;
      sample.push(...reached.slice(0, sampled - sample.length));
      if (this.clock.now() >= until) return { count, suppressed, sample: sample.map(shown), partial: true };
    }
    return { count, suppressed, sample: sample.map(shown), partial: false };
  }

  private async reached({ workspaceId, id }: Project, users: readonly AppUser[]): Promise<readonly AppUser[]> {
    const emails = await this.personal.opened(
      workspaceId,
      users.map(({ email }) => email),
    );
    const ids = emails.map((email) => this.suppressions.idOf(workspaceId, id, userEmail(email) ?? ''));
    const suppressed = await this.suppressions.among(workspaceId, ids);
    return users.filter((_, at) => !suppressed.has(ids[at] ?? ''));
  }
}

/** Sealed; answers are opened on their way out. */
const shown = ({ id, email, name }: AppUser) => ({ id, email, name });
