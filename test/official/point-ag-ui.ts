import { HttpAgent } from '@ag-ui/client';

export const agent = new HttpAgent({ url: 'http://127.0.0.1:4747/ag-ui/tour' });
