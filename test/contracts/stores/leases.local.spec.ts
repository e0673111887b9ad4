import { LocalLeases } from '../../../src/adapters/leases/local/local-leases.adapter.js';
import { leasesContract } from './leases.contract.js';

leasesContract('local', async () => {
  const leases = new LocalLeases();
  return { leases, elsewhere: leases, close: async () => undefined };
});
