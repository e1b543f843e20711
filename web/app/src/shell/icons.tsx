import type { ReactNode } from "react";

interface IconProps {
  size?: number;
}

function icon(body: ReactNode) {
  return function Icon({ size = 16 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {body}
      </svg>
    );
  };
}

export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const MinusIcon = icon(<path d="M3 8h10" />);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const FitIcon = icon(<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />);
export const MoreIcon = icon(
  <g fill="currentColor" stroke="none">
    <circle cx="3.5" cy="8" r="1.2" />
    <circle cx="8" cy="8" r="1.2" />
    <circle cx="12.5" cy="8" r="1.2" />
  </g>,
);
export const InboxIcon = icon(<path d="M2.5 9.5 4 3h8l1.5 6.5V13h-11zM2.5 9.5h3.2l.8 1.6h3l.8-1.6h3.2" />);
export const ChevronIcon = icon(<path d="m4.5 6.5 3.5 3.5 3.5-3.5" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1" />
  </>,
);
export const MoonIcon = icon(<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />);
export const SystemIcon = icon(
  <>
    <rect x="2" y="3" width="12" height="8" rx="1.5" />
    <path d="M6 13.5h4" />
  </>,
);
export const LanguageIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14c-2-2-2.6-4-2.6-6S6 4 8 2Z" />
  </>,
);
export const HelpIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M6.2 6.3a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.2M8 11.4v.1" />
  </>,
);
export const PanelIcon = icon(
  <>
    <rect x="2" y="3" width="12" height="10" rx="1.5" />
    <path d="M10 3v10" />
  </>,
);
export const UndoIcon = icon(<path d="M5.5 3 2.5 6l3 3M2.5 6h6.8a3.6 3.6 0 0 1 0 7.2H6" />);
export const RedoIcon = icon(<path d="m10.5 3 3 3-3 3M13.5 6H6.7a3.6 3.6 0 0 0 0 7.2H10" />);
export const TrashIcon = icon(<path d="M2.8 4.3h10.4M6.3 4V2.6h3.4V4M4.2 4.5l.6 8.9h6.4l.6-8.9" />);
export const PauseIcon = icon(<path d="M5.8 3.5v9M10.2 3.5v9" />);
export const PlayIcon = icon(<path d="M5 3.2v9.6L12.6 8 5 3.2Z" />);
export const ReverseIcon = icon(<path d="M11 2.5 13.5 5 11 7.5M13 5H3M5 8.5 2.5 11 5 13.5M3 11h10" />);
export const TwoWayIcon = icon(<path d="M4.5 5 1.8 8l2.7 3M11.5 5l2.7 3-2.7 3M2.2 8h11.6" />);
export const ResendIcon = icon(<path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.8M13.5 2.3v3h-3" />);
export const CheckIcon = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />);
export const WarningIcon = icon(<path d="M8 2.4 14.2 13H1.8L8 2.4ZM8 6.6v3M8 11.3v.1" />);
export const FolderIcon = icon(<path d="M2 4.2c0-.7.5-1.2 1.2-1.2h2.9l1.5 1.6h5.2c.7 0 1.2.5 1.2 1.2v5.9c0 .7-.5 1.2-1.2 1.2H3.2c-.7 0-1.2-.5-1.2-1.2V4.2Z" />);
export const NewFolderIcon = icon(
  <>
    <path d="M8 12.9H3.2c-.7 0-1.2-.5-1.2-1.2V4.2C2 3.5 2.5 3 3.2 3h2.9l1.5 1.6h5.2c.7 0 1.2.5 1.2 1.2v2" />
    <path d="M12.2 9.7v4.6M9.9 12h4.6" />
  </>,
);
export const FileIcon = icon(<path d="M4 2h5l3.5 3.5V13c0 .6-.4 1-1 1H4c-.6 0-1-.4-1-1V3c0-.6.4-1 1-1ZM9 2v3.5h3.5" />);
export const DocumentIcon = icon(<path d="M3 3h10M3 6.3h10M3 9.7h7M3 13h4" />);
export const PictureIcon = icon(
  <>
    <rect x="2" y="2.8" width="12" height="10.4" rx="1.4" />
    <circle cx="5.6" cy="6.2" r="1.1" />
    <path d="m2.4 11.8 3.4-3 2.2 1.9 2.6-2.9 3 3.2" />
  </>,
);
export const PencilIcon = icon(<path d="m9.8 3.6 2.6 2.6-7 7-3.1.5.5-3.1 7-7Z" />);
export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.3V3.8c0-.7-.6-1.3-1.3-1.3H3.8c-.7 0-1.3.6-1.3 1.3v5.4c0 .7.6 1.3 1.3 1.3h1.5" />
  </>,
);
export const LinkIcon = icon(
  <>
    <circle cx="3.6" cy="8" r="1.7" />
    <path d="M5.4 8h7.8M10.7 5.2 13.4 8l-2.7 2.8" />
  </>,
);
export const FrontIcon = icon(<path d="M8 11V2.8M4.8 6 8 2.8 11.2 6M3 13.5h10" />);
export const BackIcon = icon(<path d="M8 5v8.2M4.8 10 8 13.2l3.2-3.2M3 2.5h10" />);
export const ChatIcon = icon(<path d="M2.5 4.2c0-.7.5-1.2 1.2-1.2h8.6c.7 0 1.2.5 1.2 1.2v5.6c0 .7-.5 1.2-1.2 1.2H7.6L4.5 13.5V11h-.8c-.7 0-1.2-.5-1.2-1.2V4.2Z" />);
export const ClipIcon = icon(<path d="m12.8 7.4-5 5a3 3 0 0 1-4.2-4.2l5.4-5.4a2 2 0 0 1 2.8 2.8l-5.3 5.3a1 1 0 0 1-1.4-1.4l4.7-4.7" />);
export const LeftIcon = icon(<path d="M13 8H3M7 4 3 8l4 4" />);
export const OutsideIcon = icon(<path d="M9.5 2.5h4v4M13.2 2.8 8 8M12 9.5v3c0 .6-.4 1-1 1H3.5c-.6 0-1-.4-1-1V5c0-.6.4-1 1-1h3" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.2" />
    <path d="m10.2 10.2 3.3 3.3" />
  </>,
);
export const SlidersIcon = icon(<path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M8.5 3.2v3.6h3V3.2zM4.5 9.2v3.6h3V9.2z" />);
export const StopIcon = icon(<rect x="4" y="4" width="8" height="8" rx="1.2" />);
