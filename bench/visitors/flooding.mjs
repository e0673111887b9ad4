// Floods sites until its parent ends it. Real visitors use machines of their own, so this process runs at the lowest
// priority to take no processor time from the service.
import { setPriority } from 'node:os';
import { floods } from '../../test/support/sites/visitor-floods.ts';

setPriority(19);
process.once('message', ({ url, name, sites }) => {
  for (const site of sites) floods[name]({ url }, site, () => false);
});
