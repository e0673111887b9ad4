import { WorkerTextSearch } from '../../../src/adapters/text-search/worker/worker-text-search.adapter.js';
import { textSearchContract } from './text-search.contract.js';

textSearchContract('threads', () => new WorkerTextSearch());
