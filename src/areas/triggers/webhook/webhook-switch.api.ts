import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../triggers.refusals.js';

/**
 * Checks the workspace setting that allows new webhooks for functions of sites. It does not affect existing webhooks.
 */
@Injectable()
export class WebhookSwitch {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal site-webhooks-off */
  async mustBeOn(workspaceId: string, kind: TargetKind): Promise<void> {
    if (kind !== 'site_function') return;
    if (!(await settingsOf(this.reads, workspaceId)).siteFunctionWebhooks) refuse('site-webhooks-off');
  }
}
