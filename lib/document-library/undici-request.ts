export { request } from 'undici';
