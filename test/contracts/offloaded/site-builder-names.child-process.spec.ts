// Second tier.
import { ChildProcessSiteBuilder } from '../../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { siteBuilderNamesContract } from './site-builder.contract.js';

siteBuilderNamesContract('child processes', () => new ChildProcessSiteBuilder());
