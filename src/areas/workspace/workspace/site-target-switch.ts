import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import { Targets } from '../../../engine/targets.js';
import { freshSettings, type Workspace } from './workspace.record.js';

/** Whether triggers may point at site functions is a setting of the workspace. */
@Injectable()
export class SiteTargetSwitch {
  constructor(reads: Reads, targets: Targets) {
    targets.switchedBy('site_function', async (workspaceId) => {
      const workspace = await reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
      return (workspace?.settings ?? freshSettings).siteFunctionTargets;
    });
  }
}
