export { Trace as Run } from '../trace/trace.tsx';
