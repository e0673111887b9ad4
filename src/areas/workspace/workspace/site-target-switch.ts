import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { settingsOf } from './workspace-settings.api.js';

@Injectable()
export class SiteTargetSwitch {
  constructor(reads: Reads, targets: Targets) {
    targets.switchedBy(
      'site_function',
      async (workspaceId) => (await settingsOf(reads, workspaceId)).siteFunctionTargets,
    );
  }
}
