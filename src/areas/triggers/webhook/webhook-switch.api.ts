import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../triggers.refusals.js';

/** Whether functions of sites may be called by webhooks is a workspace setting. Webhooks that are there stay listed. */
@Injectable()
export class WebhookSwitch {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal site-webhooks-off */
  async mustBeOn(workspaceId: string, kind: TargetKind): Promise<void> {
    if (kind !== 'site_function') return;
    if (!(await settingsOf(this.reads, workspaceId)).siteFunctionWebhooks) refuse('site-webhooks-off');
  }
}
