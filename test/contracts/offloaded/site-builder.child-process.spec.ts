import { ChildProcessSiteBuilder } from '../../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { isShallow } from '../../support/depth.js';
import { QuickSiteBuilder } from '../../support/sites/quick-builds.js';
import { siteBuilderContract } from './site-builder.contract.js';

siteBuilderContract('child processes', () => (isShallow ? new QuickSiteBuilder() : new ChildProcessSiteBuilder()));
