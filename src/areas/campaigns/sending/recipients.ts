import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { namedFields } from '../../../kernel/judging/person-facts.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { type AppUser, appUsers } from '../../app-users/app-user/app-user.record.js';
import type { Project } from '../../sites/project/project.record.js';
import { Suppressions } from '../suppression/suppressions.api.js';
import type { Addressee } from './campaign-mail.js';

export interface Recipient extends Addressee {
  readonly userId: string;
  readonly suppressionId: string;
  readonly isSuppressed: boolean;
}

/** Personal data is decrypted and must not be recorded. */
@Injectable()
export class Recipients {
  constructor(
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly suppressions: Suppressions,
  ) {}

  async of(project: Project, userIds: readonly string[]): Promise<ReadonlyMap<string, Recipient>> {
    const { workspaceId, id: projectId, authCustomFields } = project;
    const found = await this.reads.find<AppUser>(workspaceId, appUsers.collection.name, {
      where: { projectId, id: { in: userIds } },
    });
    const opened = await this.personal.opened(workspaceId, found);
    const known = opened.flatMap((user) => {
      // If the user was deleted during the query, the email cannot be decrypted any more.
      const email = userEmail(user.email);
      if (email === undefined) return [];
      const customFields = namedFields(authCustomFields, user) as JsonObject;
      const suppressionId = this.suppressions.idOf(workspaceId, projectId, email);
      return [{ userId: user.id, email, name: user.name, customFields, suppressionId }];
    });
    const suppressed = await this.suppressions.among(
      workspaceId,
      known.map(({ suppressionId }) => suppressionId),
    );
    return new Map(known.map((one) => [one.userId, { ...one, isSuppressed: suppressed.has(one.suppressionId) }]));
  }
}
