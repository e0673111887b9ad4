import { WorkerSourceCheck } from '../../../src/adapters/source-check/worker/worker-source-check.adapter.js';
import { sourceCheckContract } from './source-check.contract.js';

sourceCheckContract('threads', (deadlineMs) => new WorkerSourceCheck(deadlineMs));
