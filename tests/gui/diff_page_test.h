// Two files side by side: what stands beside what, where one can go, what happens when a file changes or is not there.
#pragma once

#include <QObject>

class DiffPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void says_what_the_command_says();
  void puts_lines_beside_each_other();
  void marks_what_differs();
  void marks_moved_blocks();
  void shows_every_line_once_data();
  void shows_every_line_once();
  void chooses_functions();
  void filters_functions();
  void goes_from_difference_to_difference();
  void goes_to_what_changes_nothing_when_strict();
  void scrolls_both_sides();
  void shows_only_differences();
  void copies_one_side();
  void swaps_sides();
  void compares_identical_files();
  void says_why_a_file_cannot_be_compared();
  void compares_broken_files_as_far_as_they_go();
  void follows_a_reload();
  void keeps_the_old_when_a_reload_fails();
  void cancels();
  void exports();
  void tells_why_it_cannot_export();
  void opens_two_files();
  void waits_for_a_missing_file();
  void goes_to_the_own_tab();
  void closes_with_its_files();
  void takes_a_drop();
  void restores_the_session();
  void lists_its_keys();
  void names_everything_for_screen_readers();
};
