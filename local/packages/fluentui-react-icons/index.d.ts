import * as React from 'react';
export declare type FluentIconsProps<TBaseAttributes extends React.SVGAttributes<SVGElement> | React.HTMLAttributes<HTMLElement> = React.SVGAttributes<SVGElement>, TRefType extends HTMLElement | SVGSVGElement = SVGSVGElement> = TBaseAttributes & React.RefAttributes<TRefType> & {
    primaryFill?: string;
    className?: string;
    title?: string;
    /**
     * Whether to render the filled version of the icon.
     * NOTE: This prop is only applicable when using bundled icons created with `bundleIcon`.
     */
    filled?: boolean;
    /**
     * Prefix applied to the locally-scoped SVG `id`s (gradients, clip paths, filters) of a
     * `Color` icon variant, along with their matching `url(#…)` references. Use a unique value
     * per rendered instance to avoid global DOM id collisions when the same color icon appears
     * multiple times on a page.
     *
     * NOTE: This prop only applies to `Color` icon variants; it is ignored by mono-color icons.
     */
    idPrefix?: string;
    /**
     * Sets the rendered size of a **resizable** icon. For SVG icons this maps to the `font-size`
     * presentation attribute (the icon is `1em`); for font icons it maps to the `font-size` CSS
     * style. Exposing it on both keeps the prop working when an icon is switched between the SVG
     * and font variants.
     *
     * NOTE: **Sized** variants (e.g. `Send24Regular`) render at their fixed design size and ignore
     * this prop in both SVG and font form.
     */
    fontSize?: string | number;
};
export declare type FluentIcon = React.FC<FluentIconsProps>;
export declare const AddRegular: FluentIcon;
export declare const ArrowDownloadRegular: FluentIcon;
export declare const ArrowRepeatAllRegular: FluentIcon;
export declare const ArrowSyncRegular: FluentIcon;
export declare const ArrowUploadRegular: FluentIcon;
export declare const CheckmarkCircleRegular: FluentIcon;
export declare const ClockRegular: FluentIcon;
export declare const CopyRegular: FluentIcon;
export declare const DataUsageRegular: FluentIcon;
export declare const DeleteRegular: FluentIcon;
export declare const DismissCircleRegular: FluentIcon;
export declare const DismissRegular: FluentIcon;
export declare const DocumentRegular: FluentIcon;
export declare const FolderAddRegular: FluentIcon;
export declare const FolderRegular: FluentIcon;
export declare const MailRegular: FluentIcon;
export declare const NavigationRegular: FluentIcon;
export declare const PauseRegular: FluentIcon;
export declare const PersonAddRegular: FluentIcon;
export declare const PersonCircleRegular: FluentIcon;
export declare const PersonRegular: FluentIcon;
export declare const PlayCircleRegular: FluentIcon;
export declare const PlayRegular: FluentIcon;
export declare const ServerRegular: FluentIcon;
export declare const SignOutRegular: FluentIcon;
export declare const WarningRegular: FluentIcon;
