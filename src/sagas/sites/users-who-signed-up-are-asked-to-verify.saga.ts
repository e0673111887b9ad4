import { Injectable } from '@nestjs/common';
import type { AppUserEvent } from '../../areas/app-users/app-user/app-user.record.js';
import { SignInMail } from '../../areas/app-users/sign-in/sign-in-mail.api.js';
import type { Project } from '../../areas/sites/project/project.record.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import { Reads } from '../../engine/scopes/reads.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

type AppUserCreated = Extract<AppUserEvent, { type: 'AppUserCreated' }>;

/** Sends the mail in a saga, so that it is sent even if the process died right after the sign-up. */
@Injectable()
export class UsersWhoSignedUpAreAskedToVerify implements Saga {
  readonly name = 'users-who-signed-up-are-asked-to-verify';
  readonly reads = ['AppUserCreated'];
  readonly atOnce = 8;
  readonly skipsHistory = true;

  constructor(
    private readonly mail: SignInMail,
    private readonly models: Reads,
  ) {}

  async react({ stream, data }: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    const { origin, projectId, emailVerifiedAt } = data as AppUserCreated['data'];
    if (origin !== 'signUp' || emailVerifiedAt !== null) return;
    const { workspaceId, id } = parseStream(stream);
    const project = await this.models.get<Project>(workspaceId, 'projects', projectId);
    if (project?.authRequireEmail) await this.mail.signedUp(call('verify'), id);
  }
}
