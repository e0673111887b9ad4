import { ChildProcessSiteBuilder } from '../../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { siteBuilderContract } from './site-builder.contract.js';

siteBuilderContract('child processes', () => new ChildProcessSiteBuilder());
