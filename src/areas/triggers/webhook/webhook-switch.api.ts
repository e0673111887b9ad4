import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../triggers.refusals.js';

/** While the setting `siteFunctionWebhooks` is off, webhooks of site functions cannot be created or called. */
@Injectable()
export class WebhookSwitch {
  constructor(private readonly reads: Reads) {}

  async mustBeOn(workspaceId: string, kind: TargetKind): Promise<void> {
    if (kind !== 'site_function') return;
    if (!(await settingsOf(this.reads, workspaceId)).siteFunctionWebhooks) refuse('site-webhooks-off');
  }
}
