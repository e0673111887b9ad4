// The package's index loads 320 modules (5 MB, a twentieth of the start time), among them phone number rules of all
// countries. The service therefore imports single checks from their own files, for which the package has no types.
declare module 'class-validator/cjs/decorator/*' {
  export * from 'class-validator';
}
