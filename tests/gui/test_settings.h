// What every test program of the viewer starts with: settings of its own, so that a person's are neither read nor written.
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QTemporaryDir>

/// Made after the application, and lives as long as it.
class TestSettings {
 public:
  TestSettings() {
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
    QCoreApplication::setApplicationName(QStringLiteral("ptxscope"));
    QCoreApplication::setOrganizationName(QStringLiteral("ptxscope-test"));
  }

 private:
  QTemporaryDir folder_;
};
