; Inno Setup 6: installs for one user, without administrator rights.
;   iscc /DAppVersion=0.1.0 /DKind=lean packaging\windows\dl-advisor.iss
; expects the folder that PyInstaller made at dist\dl-advisor below the sources.
#ifndef AppVersion
  #error give /DAppVersion=
#endif
#ifndef Kind
  #define Kind "full"
#endif

[Setup]
AppId={{B5B5D1B2-5B0B-4E0E-9C5C-6D1F5E0B2D11}
AppName=DL Advisor
AppVersion={#AppVersion}
DefaultDirName={autopf}\DL Advisor
DefaultGroupName=DL Advisor
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=dl-advisor-{#AppVersion}-{#Kind}-windows-x64
Compression=lzma2/max
SolidCompression=yes
UninstallDisplayIcon={app}\dl-advisor-gui.exe
WizardStyle=modern
ChangesEnvironment=yes
ChangesAssociations=yes

[Tasks]
Name: desktopicon; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: path; Description: "Call dl-advisor in a terminal (adds it to PATH)"; Flags: unchecked

[Files]
Source: "..\..\dist\dl-advisor\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion
Source: "..\..\dist\NOTICE"; DestDir: "{app}"; Flags: skipifsourcedoesntexist

[Icons]
Name: "{group}\DL Advisor"; Filename: "{app}\dl-advisor-gui.exe"
Name: "{autodesktop}\DL Advisor"; Filename: "{app}\dl-advisor-gui.exe"; Tasks: desktopicon

[Registry]
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; \
  ValueData: "{olddata};{app}"; Tasks: path; Check: IsNotOnPath
; Windows knows a file by what follows its last dot, and JSON belongs to others: the program is
; offered under "Open with", nothing is taken over.
Root: HKA; Subkey: "Software\Classes\Applications\dl-advisor-gui.exe\shell\open\command"; \
  ValueType: string; ValueData: """{app}\dl-advisor-gui.exe"" ""%1"""; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Applications\dl-advisor-gui.exe\SupportedTypes"; \
  ValueType: string; ValueName: ".json"; ValueData: ""; Flags: uninsdeletekey

[Run]
Filename: "{app}\dl-advisor-gui.exe"; Description: "{cm:LaunchProgram,DL Advisor}"; \
  Flags: nowait postinstall skipifsilent

[Code]
function IsNotOnPath(): Boolean;
var
  Known: string;
begin
  if not RegQueryStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Known) then
    Known := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Known) + ';') = 0;
end;
