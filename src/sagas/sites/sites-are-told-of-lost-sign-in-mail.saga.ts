import { Injectable } from '@nestjs/common';
import { LostSignInMail } from '../../areas/sites/project/lost-sign-in-mail.api.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';

@Injectable()
export class SitesAreToldOfLostSignInMail implements Saga {
  readonly name = 'sites-are-told-of-lost-sign-in-mail';
  readonly reads = ['MailAccountChanged', 'MailAccountDeactivated', 'MailAccountDeleted', 'EmailTemplateDeleted'];
  readonly skipsHistory = true;

  constructor(private readonly lost: LostSignInMail) {}

  async react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    await this.lost.follow(event, call);
  }
}
