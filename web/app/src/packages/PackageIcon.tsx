import { kindIcons } from "../cards/icons";

interface PackageIconProps {
  /** A data URL, null for a package without a picture of its own. */
  icon: string | null;
  size: number;
}

/** The picture of a package. */
export function PackageIcon({ icon, size }: PackageIconProps) {
  const Usual = kindIcons.custom;
  if (icon === null) return <Usual size={size} />;
  return <img className="package-icon" src={icon} width={size} height={size} alt="" />;
}
