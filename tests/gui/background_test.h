// Work off the GUI thread: what comes back, and what does not.
#pragma once

#include <QObject>

class BackgroundTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void brings_a_result_back();
  void tells_what_went_wrong();
  void keeps_the_order();
  void drops_what_was_cancelled();
  void drops_what_is_for_nobody();
  void hands_over_what_was_written();
};
