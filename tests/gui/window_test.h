// The window: opening, tabs, menus, session, themes.
#pragma once

#include <QObject>

class WindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void opens_several_files();
  void opens_an_open_file_once();
  void shows_what_is_wrong_where_it_happened();
  void asks_which_image();
  void opens_a_named_image();
  void cancels_from_the_page();
  void takes_dropped_files();
  void remembers_recent_files();
  void restores_the_session();
  void keeps_the_session_while_open();
  void says_that_settings_cannot_be_written();
  void says_all_that_went_wrong();
  void takes_names_of_any_kind();
  void goes_back_and_forward();
  void hides_and_shows_panels();
  void goes_from_panel_to_panel();
  void lists_keys();
  void has_no_key_twice();
  void names_everything_for_screen_readers();
  void changes_colours_and_text_size();
  void closes_while_working();
};
