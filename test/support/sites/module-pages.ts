/** Pages that use the exports of `@countersign/site`. */
export const home = `import { useState } from 'react';
import { auth, functions, Link, navigate, SiteError, useUser } from '@countersign/site';
export default function Home() {
  const user = useUser();
  const [said, setSaid] = useState('');
  const fail = () => functions.invoke('refuses', { why: 'Sold out' }).catch((error) =>
    setSaid(error instanceof SiteError ? [error.status, error.code, error.message].join(' ') : 'strange'));
  const signUp = async () => {
    await auth.signup({ email: 'ada@example.com', password: 'correct horse', name: 'Ada' });
    navigate('/shop/tea');
  };
  return <main>
    <h1>{user?.name ?? 'Nobody'}</h1>
    <button onClick={signUp}>Sign up</button>
    <button onClick={fail}>Fail</button>
    <button onClick={() => auth.social('own')}>By a provider</button>
    <p>{said}</p>
    <Link href="/shop/tea">Tea</Link> <Link href="/broken">Broken</Link>
  </main>;
}
`;

export const shop = `import { useState } from 'react';
import { auth, Link, navigate, payments, RequireEntitlement, RequireRole, useFunction, useParams, useUser } from '@countersign/site';
export default function Shop() {
  const { item } = useParams();
  const { data, loading, reload } = useFunction('prices', { item });
  const user = useUser();
  const [said, setSaid] = useState('');
  const buy = async () => {
    const { status } = await payments.checkout('club');
    await auth.me();
    setSaid(status);
  };
  const leave = async () => { await auth.logout(); navigate('/'); };
  return <main>
    <h1>{item} for {user?.email ?? 'nobody'}</h1>
    <p>{loading ? 'loading' : data.text}</p>
    <RequireEntitlement entitlement="club" fallback={<p>Join the club</p>}><p>In the club</p></RequireEntitlement>
    <RequireRole role="Admin" fallback={<p>No admin</p>}><p>An admin</p></RequireRole>
    <button onClick={buy}>Buy</button> <button onClick={reload}>Again</button>
    <button onClick={leave}>Sign out</button>
    <p>said {said}</p><Link href="/">Home</Link>
  </main>;
}
`;

export const desk = `import { type FormEvent, useEffect, useState } from 'react';
import { auth, email, functions, Link, payments, RequireEntitlement, RequireRole, type Row, tables, useUser } from '@countersign/site';
export default function Desk() {
  const user = useUser();
  const [notes, setNotes] = useState<readonly Row[]>([]);
  const [said, setSaid] = useState('');
  const load = async () => setNotes((await tables.getRows('Notes', { sort: [{ field: 'title', dir: 'asc' }] })).rows);
  useEffect(() => void load(), []);
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await tables.createRow('Notes', { title: String(new FormData(event.currentTarget).get('title')) });
    await load();
  };
  const tell = (act: () => Promise<unknown>) => () =>
    act().then((done) => setSaid(JSON.stringify(done)), ({ status, code }) => setSaid(status + ' ' + code));
  return <main>
    <h1>Desk of {user?.name ?? 'nobody'}</h1>
    <form onSubmit={add}><label>Title <input name="title" /></label><button>Add</button></form>
    <ul>{notes.map(({ id, title }) => <li key={id}>{title}</li>)}</ul>
    <button onClick={tell(() => tables.getRow('Notes', location.hash.slice(1)))}>Read another's</button>
    <button onClick={tell(() => functions.invokeAccount('of all sites', { by: 2 }))}>Ask the workspace</button>
    <button onClick={tell(() => email.send({ to: 'desk@example.org', template: 'hello', variables: { name: 'Carol' } }))}>Send</button>
    <button onClick={tell(auth.me)}>Who am I</button>
    <button onClick={tell(() => payments.checkout('gold', { successPath: '/desk?paid=yes' }))}>Buy gold</button>
    <RequireRole role="Editor" fallback={<p>No editor</p>}><p>An editor</p></RequireRole>
    <RequireEntitlement entitlement="gold" fallback={<p>No gold</p>}><p>All in gold</p></RequireEntitlement>
    <p role="status">{said}</p><Link href="/">Home</Link>
  </main>;
}
`;

export const frame = `import { Link } from '@countersign/site';
export default function Frame({ children }) { return <><nav><Link href="/">Out of here</Link></nav>{children}</>; }
`;

export const broken =
  'export default function Broken() { const [one] = [] as { name: string }[]; return <p>{one.name}</p>; }';

/** Source of an app outside the site, which configures the module with the site's address. */
export const ownApp = `import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { auth, configure, functions, RequireRole, SiteError, type SiteUser, useUser } from '@countersign/site';
declare const API: string;
configure({ api: API });
// @ts-expect-error Names are texts. The error shows that the compiler finds the types.
export const wrong = () => functions.invoke(1);
function App() {
  const user: SiteUser | null = useUser();
  const [said, setSaid] = useState('');
  const signUp = () => auth.signup({ email: 'dan@example.com', password: 'correct horse', name: 'Dan' });
  const ask = async () => {
    try {
      setSaid((await functions.invoke<{ text: string }>('prices', { item: 'tea' })).text);
    } catch (error) {
      setSaid(error instanceof SiteError ? error.code : 'strange');
    }
  };
  return <main>
    <h1>{user?.name ?? 'Nobody'}</h1>
    <button onClick={signUp}>Sign up</button> <button onClick={ask}>Ask</button>
    <p>{said}</p>
    <RequireRole role="Editor" fallback={<p>No editor</p>}><p>An editor</p></RequireRole>
  </main>;
}
const element = document.getElementById('app');
if (element !== null) createRoot(element).render(<App />);
`;
