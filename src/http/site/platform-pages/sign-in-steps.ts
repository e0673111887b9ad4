import { pathnameOf } from '../../../areas/sites/page/open-paths.api.js';
import type { Project } from '../../../areas/sites/project/project.record.js';

export const stepPaths = {
  login: '/login',
  signup: '/signup',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
} as const;

export type SignInStep = keyof typeof stepPaths;
const steps = Object.keys(stepPaths) as readonly SignInStep[];

/**
 * The path of a sign-in page is the platform's own or the one in `authPaths`.
 * @param path as sent, without the query
 */
export function signInStepAt(path: string, { authPaths }: Pick<Project, 'authPaths'>): SignInStep | undefined {
  const isNamed = (step: SignInStep) => {
    const named = authPaths[step];
    return named !== undefined && pathnameOf(named) === path;
  };
  return steps.find((step) => stepPaths[step] === path) ?? steps.find(isNamed);
}
