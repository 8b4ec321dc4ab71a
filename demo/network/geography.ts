/** Where the backbone is. Coordinates are those of the cities; everything else about the sites is made up. */
export interface Site {
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Capitals have two core routers, the others one at the edge. */
  readonly isCapital: boolean;
}

const site = (line: string): Site => {
  const [code = '', name = '', state = '', latitude, longitude, rank] = line.split('|');
  return {
    code,
    name,
    state,
    latitude: Number(latitude),
    longitude: Number(longitude),
    isCapital: rank === 'capital',
  };
};

export const sites: readonly Site[] = [
  'SYD|Sydney|NSW|-33.8688|151.2093|capital',
  'MEL|Melbourne|VIC|-37.8136|144.9631|capital',
  'BNE|Brisbane|QLD|-27.4698|153.0251|capital',
  'PER|Perth|WA|-31.9523|115.8613|capital',
  'ADL|Adelaide|SA|-34.9285|138.6007|capital',
  'CBR|Canberra|ACT|-35.2809|149.13|capital',
  'HBA|Hobart|TAS|-42.8821|147.3272|capital',
  'DRW|Darwin|NT|-12.4634|130.8456|capital',
  'NTL|Newcastle|NSW|-32.9283|151.7817|regional',
  'WOL|Wollongong|NSW|-34.4278|150.8931|regional',
  'OOL|Gold Coast|QLD|-28.0167|153.4|regional',
  'ROK|Rockhampton|QLD|-23.3781|150.5136|regional',
  'TSV|Townsville|QLD|-19.259|146.8169|regional',
  'CNS|Cairns|QLD|-16.9186|145.7781|regional',
  'ISA|Mount Isa|QLD|-20.7256|139.4927|regional',
  'ASP|Alice Springs|NT|-23.698|133.8807|regional',
  'PHE|Port Hedland|WA|-20.3107|118.5878|regional',
  'BME|Broome|WA|-17.9614|122.2359|regional',
  'KGI|Kalgoorlie|WA|-30.749|121.466|regional',
  'GEX|Geelong|VIC|-38.1499|144.3617|regional',
  'LST|Launceston|TAS|-41.4332|147.1441|regional',
].map(site);

/** Which sites are joined, by what, and how often. */
export const spans: readonly {
  readonly from: string;
  readonly to: string;
  readonly kind: 'FIBRE' | 'SUBSEA' | 'MW';
  readonly count: number;
}[] = [
  { from: 'SYD', to: 'MEL', kind: 'FIBRE', count: 2 },
  { from: 'SYD', to: 'CBR', kind: 'FIBRE', count: 2 },
  { from: 'CBR', to: 'MEL', kind: 'FIBRE', count: 1 },
  { from: 'SYD', to: 'NTL', kind: 'FIBRE', count: 2 },
  { from: 'SYD', to: 'WOL', kind: 'FIBRE', count: 1 },
  { from: 'WOL', to: 'CBR', kind: 'FIBRE', count: 1 },
  { from: 'SYD', to: 'BNE', kind: 'FIBRE', count: 1 },
  { from: 'NTL', to: 'BNE', kind: 'FIBRE', count: 1 },
  { from: 'NTL', to: 'OOL', kind: 'FIBRE', count: 1 },
  { from: 'OOL', to: 'BNE', kind: 'FIBRE', count: 1 },
  { from: 'BNE', to: 'ROK', kind: 'FIBRE', count: 2 },
  { from: 'ROK', to: 'TSV', kind: 'FIBRE', count: 1 },
  { from: 'TSV', to: 'CNS', kind: 'FIBRE', count: 1 },
  { from: 'TSV', to: 'ISA', kind: 'FIBRE', count: 1 },
  { from: 'CNS', to: 'ISA', kind: 'MW', count: 1 },
  { from: 'ISA', to: 'DRW', kind: 'FIBRE', count: 1 },
  { from: 'DRW', to: 'ASP', kind: 'FIBRE', count: 1 },
  { from: 'ASP', to: 'ADL', kind: 'FIBRE', count: 1 },
  { from: 'ADL', to: 'MEL', kind: 'FIBRE', count: 2 },
  { from: 'ADL', to: 'KGI', kind: 'FIBRE', count: 1 },
  { from: 'KGI', to: 'PER', kind: 'FIBRE', count: 2 },
  { from: 'PER', to: 'SYD', kind: 'SUBSEA', count: 1 },
  { from: 'PER', to: 'PHE', kind: 'FIBRE', count: 1 },
  { from: 'PHE', to: 'BME', kind: 'MW', count: 1 },
  { from: 'BME', to: 'DRW', kind: 'FIBRE', count: 1 },
  { from: 'MEL', to: 'GEX', kind: 'FIBRE', count: 2 },
  { from: 'MEL', to: 'LST', kind: 'SUBSEA', count: 1 },
  { from: 'GEX', to: 'HBA', kind: 'SUBSEA', count: 1 },
  { from: 'LST', to: 'HBA', kind: 'FIBRE', count: 1 },
];

export function kilometresBetween(one: Site, other: Site): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [north, east] = [radians(other.latitude - one.latitude), radians(other.longitude - one.longitude)];
  const half =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.sqrt(half));
}
