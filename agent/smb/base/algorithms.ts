export type Dialect = '2.1' | '3.0' | '3.0.2' | '3.1.1';
export type Cipher = 'AES-128-GCM' | 'AES-256-GCM' | 'AES-128-CCM' | 'AES-256-CCM';
export type SigningAlgorithm = 'HMAC-SHA256' | 'AES-128-CMAC' | 'AES-128-GMAC';
