"""Who somebody is: their name, their country, and whether they may administer the bot."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from bot.posting import NETWORK, error_code
from bot.store import Person, Sessions
from knowledge.countries import parse_country
from knowledge.errors import UnknownCountry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class People:
    """Looks people up in Slack and in the store.

    `country_field` is the id or the label of the profile field that holds a person's country.
    `admins` are user ids and user group ids; when empty, the workspace's admins administer.
    """

    client: WebClient
    sessions: Sessions
    country_field: str | None = None
    admins: Sequence[str] = ()

    def country(self, user: str) -> str | None:
        """The country that the person chose, else their profile's; None when neither says.

        Never guessed from the time zone: a British employee on a visit to Mumbai is British.
        """
        with self.sessions() as session:
            chosen: str | None = session.scalar(select(Person.country).where(Person.user == user))
        return chosen or self._profile_country(user)

    def choose_country(self, user: str, country: str) -> None:
        """Keep what the person chose; `country` is an ISO code."""
        try:
            with self.sessions.begin() as session:
                session.add(Person(user=user, country=country))
        except IntegrityError:
            with self.sessions.begin() as session:
                session.get_one(Person, user).country = country

    def name(self, user: str, otherwise: str = "Somebody") -> str:
        """The name that Slack shows for the person; `otherwise` when Slack does not say."""
        try:
            found = self.client.users_info(user=user)["user"]
        except (SlackApiError, *NETWORK) as error:
            log.warning("cannot look up a person's name: %s", error_code(error))
            return otherwise
        profile = found.get("profile") or {}
        names = (profile.get("display_name"), found.get("real_name"), found.get("name"))
        return next((str(name) for name in names if name), otherwise)

    def is_admin(self, user: str) -> bool:
        """Whether the person may administer the bot; False when Slack cannot be asked."""
        if not self.admins:
            return self._is_workspace_admin(user)
        groups = (group for group in self.admins if group.startswith("S"))
        return user in self.admins or any(user in self._members(group) for group in groups)

    def _is_workspace_admin(self, user: str) -> bool:
        try:
            found = self.client.users_info(user=user)["user"]
        except (SlackApiError, *NETWORK) as error:
            log.error("cannot tell whether somebody is an admin: %s", error_code(error))
            return False
        return bool(found.get("is_admin") or found.get("is_owner"))

    def _members(self, group: str) -> Sequence[str]:
        """The members of a user group; none when Slack does not say, as of one that is gone."""
        try:
            members: Sequence[str] = self.client.usergroups_users_list(usergroup=group)["users"]
        except (SlackApiError, *NETWORK) as error:
            log.error("cannot tell who is in the user group %s: %s", group, error_code(error))
            return ()
        return members

    def _profile_country(self, user: str) -> str | None:
        if self.country_field is None:
            return None
        try:
            profile = self.client.users_profile_get(user=user, include_labels=True)["profile"]
        except (SlackApiError, *NETWORK) as error:
            log.warning("cannot read a profile for its country: %s", error_code(error))
            return None
        for field_id, field in (profile.get("fields") or {}).items():
            if self.country_field in (field_id, field.get("label")):
                try:
                    return parse_country(field.get("value") or "")
                except UnknownCountry:
                    log.warning("a profile's country field holds no country that is known")
        return None
